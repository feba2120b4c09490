#!/usr/bin/perl
# Reads OAI-PMH repositories with HTTP::OAI, which follows resumption tokens by itself: one line of JSON on standard
# input says what, and what it writes is that of oai_clients.py.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(encode_utf8);
use HTTP::OAI;
use JSON::PP;

# As content_of in oai_clients.py: this client keeps neither all white space nor all declarations of namespaces.
sub content_of {
    my ($node) = @_;
    my @attributes = sort map { (split /:/, $_->nodeName)[-1] . '=' . $_->nodeValue }
        grep { $_->nodeName !~ /^xmlns/ } $node->attributes;
    my $text = '';
    for my $child ($node->childNodes) {
        if ($child->isa('XML::LibXML::Element')) { $text .= content_of($child) }
        elsif ($child->isa('XML::LibXML::Text')) { $text .= $child->data =~ s/^\s+|\s+$//gr }
    }
    return '{' . ($node->namespaceURI // '') . '}' . $node->localname . '[' . join('|', @attributes) . "]($text)";
}

sub content_digest {
    my ($metadata) = @_;
    # It has the element around it.
    my ($around) = grep { $_->isa('XML::LibXML::Element') } $metadata->dom->childNodes;
    my ($root) = grep { $_->isa('XML::LibXML::Element') } $around->childNodes;
    return sha256_hex(encode_utf8(content_of($root)));
}

sub described {
    my ($record) = @_;
    my $is_deleted = defined $record->status && $record->status eq 'deleted';
    return {
        id => $record->identifier,
        datestamp => $record->datestamp,
        sets => [ $record->header->setSpec ],
        deleted => $is_deleted ? JSON::PP::true : JSON::PP::false,
        content => $is_deleted ? undef : content_digest($record->metadata),
        digest => undef,
        abouts => scalar(my @abouts = $record->about),
    };
}

sub read_list {
    my ($work) = @_;
    my %limits = map { $_ => $work->{$_} } grep { defined $work->{$_} } qw(from until set);
    my @records;
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $work->{url}, resume => 1);
    # Without onRecord, only the records of the last page are kept.
    my $response = $harvester->ListRecords(
        metadataPrefix => $work->{prefix},
        %limits,
        onRecord => sub { push @records, described($_[0]) },
    );
    die 'the list ends with: ' . $response->as_string if !$response->isa('HTTP::OAI::Response');
    my @codes = map { $_->code } $response->errors;
    return [] if "@codes" eq 'noRecordsMatch';
    die 'the list ends with: ' . $response->message . " @codes" if $response->is_error || @codes;
    return \@records;
}

my $line = <STDIN>;
print JSON::PP->new->ascii->encode([ map { read_list($_) } @{ decode_json($line) } ]), "\n";
