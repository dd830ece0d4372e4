/**
 * Returns the charset that a content type names, in lower case, or null if it names none. Source: RFC 9110, section
 * 8.3.2.
 */
export function parseCharset(contentType: string | undefined): string | null {
  const [, quoted, bare] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType ?? '') ?? []
  const charset = (quoted ?? bare ?? '').trim().toLowerCase()
  return charset === '' ? null : charset
}
