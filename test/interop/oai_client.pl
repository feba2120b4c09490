#!/usr/bin/perl
# Reads OAI-PMH repositories with HTTP::OAI, which follows resumption tokens by itself: one line of JSON on standard
# input says what, and what it writes is that of oai_clients.py.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use HTTP::OAI;
use JSON::PP;

sub digest_of {
    my ($metadata) = @_;
    my $root = $metadata->dom;
    $root = $root->documentElement if $root->isa('XML::LibXML::Document');
    # Some versions have the element around it.
    ($root) = grep { $_->isa('XML::LibXML::Element') } $root->childNodes if $root->localname eq 'metadata';
    my $document = XML::LibXML->load_xml(string => $root->toString);
    my $text = $document->toStringEC14N(1);
    utf8::encode($text) if utf8::is_utf8($text);
    return sha256_hex($text);
}

sub read_list {
    my ($work) = @_;
    my %limits = map { $_ => $work->{$_} } grep { defined $work->{$_} } qw(from until set);
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $work->{url}, resume => 1);
    my $response = $harvester->ListRecords(metadataPrefix => $work->{prefix}, %limits);
    my @records;
    if ($response->is_success) {
        while (my $record = $response->next) {
            die 'the list ends with: ' . $record->message if $record->isa('HTTP::OAI::Response') && $record->is_error;
            my $is_deleted = $record->status && $record->status eq 'deleted';
            push @records, {
                id => $record->identifier,
                datestamp => $record->datestamp,
                sets => [ $record->header->setSpec ],
                deleted => $is_deleted ? JSON::PP::true : JSON::PP::false,
                digest => $is_deleted ? undef : digest_of($record->metadata),
                abouts => scalar(my @abouts = $record->about),
            };
        }
    }
    my @codes = map { $_->code } $response->errors;
    return \@records if @codes == 1 && $codes[0] eq 'noRecordsMatch';
    die 'the list ends with: ' . $response->message . " @codes" if $response->is_error || @codes;
    return \@records;
}

my $line = <STDIN>;
print JSON::PP->new->ascii->encode([ map { read_list($_) } @{ decode_json($line) } ]), "\n";
