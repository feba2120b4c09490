/** Shows answers of OAI-PMH in a browser: what it is, its records and sets, and links to go on with. */
export const STYLESHEET = `<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/" exclude-result-prefixes="o">
<xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat"/>
<xsl:variable name="base" select="/o:OAI-PMH/o:request"/>
<xsl:variable name="prefix" select="/o:OAI-PMH/o:request/@metadataPrefix"/>
<xsl:template match="/o:OAI-PMH">
<html lang="en"><head><title>OAI-PMH: <xsl:value-of select="$base"/></title><meta name="viewport" content="width=device-width"/>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#222;background:#fff}h1{font-size:1.4rem;overflow-wrap:anywhere}nav a{margin-right:1rem}dl,article{border-top:1px solid #ccc;padding:.6rem 0;margin:0}dt{font-weight:600}dd{margin:0 0 .4rem;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f5f5;padding:.6rem}.error{color:#a00}</style></head>
<body><h1><xsl:value-of select="$base"/></h1>
<p>A repository of OAI-PMH 2.0, as programs read it. It answered at <xsl:value-of select="o:responseDate"/>.</p>
<nav><a href="?verb=Identify">Identify</a><a href="?verb=ListMetadataFormats">Formats</a><a href="?verb=ListSets">Sets</a><a href="?verb=ListIdentifiers&amp;metadataPrefix=oai_dc">Identifiers</a><a href="?verb=ListRecords&amp;metadataPrefix=oai_dc">Records</a></nav>
<xsl:apply-templates select="*[not(self::o:responseDate or self::o:request)]"/></body></html>
</xsl:template>
<xsl:template match="o:error"><p class="error"><strong><xsl:value-of select="@code"/></strong>: <xsl:value-of select="."/></p></xsl:template>
<xsl:template match="o:Identify | o:set | o:metadataFormat"><dl><xsl:for-each select="*[not(self::o:description or self::o:setDescription)]"><dt><xsl:value-of select="local-name()"/></dt><dd><xsl:value-of select="."/></dd></xsl:for-each></dl>
<xsl:if test="self::o:set"><p><a href="?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;set={o:setSpec}">Its records</a></p></xsl:if>
<xsl:if test="self::o:metadataFormat"><p><a href="?verb=ListRecords&amp;metadataPrefix={o:metadataPrefix}">Records in this format</a></p></xsl:if></xsl:template>
<xsl:template match="o:record"><article><xsl:apply-templates select="o:header"/><xsl:for-each select="o:metadata | o:about"><pre><xsl:apply-templates select="*" mode="source"/></pre></xsl:for-each></article></xsl:template>
<xsl:template match="o:header"><dl><dt><xsl:value-of select="o:identifier"/></dt><dd><xsl:value-of select="o:datestamp"/><xsl:if test="@status"> (<xsl:value-of select="@status"/>)</xsl:if><xsl:for-each select="o:setSpec"><xsl:text> </xsl:text><a href="?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;set={.}"><xsl:value-of select="."/></a></xsl:for-each></dd></dl></xsl:template>
<xsl:template match="o:resumptionToken"><xsl:if test="string(.)"><p><a href="?verb={local-name(..)}&amp;resumptionToken={.}">The next page</a></p></xsl:if></xsl:template>
<xsl:template match="*" mode="source"><xsl:text>&lt;</xsl:text><xsl:value-of select="name()"/><xsl:for-each select="@*"><xsl:text> </xsl:text><xsl:value-of select="name()"/>="<xsl:value-of select="."/>"</xsl:for-each><xsl:text>&gt;</xsl:text><xsl:apply-templates mode="source"/><xsl:text>&lt;/</xsl:text><xsl:value-of select="name()"/><xsl:text>&gt;</xsl:text></xsl:template>
</xsl:stylesheet>
`;
