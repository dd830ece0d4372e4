/** The encoding that a content type names, in small letters; null where it names none. Source: RFC 9110, section 8.3.2. */
export function charsetOf(contentType: string | undefined): string | null {
  const [, quoted, bare] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType ?? '') ?? []
  const charset = (quoted ?? bare ?? '').trim().toLowerCase()
  return charset === '' ? null : charset
}
