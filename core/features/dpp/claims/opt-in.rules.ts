import type { Issue } from '../../../kernel/problem.ts'

export const formTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const
export type FormType = (typeof formTypes)[number]

/** The maximum size of a form in bytes, and the maximum length of its base64 text in characters. */
export const maxFormBytes = 5 * 1024 * 1024
export const maxBase64Length = 4 * Math.ceil(maxFormBytes / 3)

const startsWith = (bytes: Buffer, start: Uint8Array | readonly number[], at = 0) =>
  bytes.subarray(at, at + start.length).equals(Uint8Array.from(start))

/**
 * The checks whether a file begins with the signature of its type. Source: PNG 3, section 5.2; JPEG (ISO/IEC 10918-1),
 * SOI and the marker after it; RFC 9649, section 2.4 (WebP); ISO 32000-2, section 7.5.2 (PDF).
 */
const signatureChecks: Record<FormType, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
  'image/webp': (bytes) => startsWith(bytes, Buffer.from('RIFF')) && startsWith(bytes, Buffer.from('WEBP'), 8),
  'application/pdf': (bytes) => startsWith(bytes, Buffer.from('%PDF-')),
}

/** Parses base64 text in its canonical, padded form; null for any other text. Source: RFC 4648, sections 3.5 and 4. */
export function parseBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

// Path separators of all operating systems, control characters, and invisible characters such as those that reverse the
// direction of text.
const forbiddenCharacters = /[/\\:\p{Cc}\p{Cf}]/u

/**
 * Validates a file: its name, its size, and whether it begins with the signature of its type.
 * @param bytes null if the content is not valid base64
 */
export function validateForm(fileName: string, contentType: FormType, bytes: Buffer | null): Issue[] {
  const issues: Issue[] = []
  if (forbiddenCharacters.test(fileName) || /^\.+$/.test(fileName) || fileName.trim() === '') {
    issues.push({ path: 'fileName', code: 'not_a_file_name', message: 'has to be a name alone, without a folder' })
  }
  if (bytes === null) issues.push({ path: 'content', code: 'base64', message: 'is no base64 in its padded form' })
  else if (bytes.length > maxFormBytes) {
    issues.push({ path: 'content', code: 'too_large', message: `has more than ${maxFormBytes} bytes` })
  } else if (!signatureChecks[contentType](bytes)) {
    issues.push({ path: 'content', code: 'content_type', message: `does not begin as ${contentType} does` })
  }
  return issues
}
