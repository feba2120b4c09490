<?xml version="1.0" encoding="UTF-8"?>
<!-- Makes nsdl_dc of oai_dc as aggregators do: white space is normalized, useless values are left out, URIs get their type. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dct="http://purl.org/dc/terms/"
  xmlns:nsdl_dc="http://ns.nsdl.org/nsdl_dc_v1.02/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  exclude-result-prefixes="oai_dc">
  <xsl:output method="xml" encoding="UTF-8" omit-xml-declaration="yes"/>
  <xsl:template match="/oai_dc:dc">
    <nsdl_dc:nsdl_dc schemaVersion="1.02.020">
      <xsl:apply-templates select="dc:identifier"/>
      <xsl:apply-templates select="dc:title"/>
      <xsl:apply-templates select="*[not(self::dc:identifier or self::dc:title)]"/>
    </nsdl_dc:nsdl_dc>
  </xsl:template>
  <xsl:template match="dc:*">
    <xsl:variable name="value" select="normalize-space(.)"/>
    <xsl:if test="$value != '' and $value != 'none' and $value != 'n/a' and $value != '-'">
      <xsl:element name="dc:{local-name()}">
        <xsl:if test="self::dc:identifier and (starts-with($value, 'http://') or starts-with($value, 'https://'))">
          <xsl:attribute name="xsi:type">dct:URI</xsl:attribute>
        </xsl:if>
        <xsl:value-of select="$value"/>
      </xsl:element>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
