import type { Violation } from '../../kernel/problem.ts'

export const formTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const
export type FormType = (typeof formTypes)[number]

/** Bytes of a form, and the most characters that they have in base64. */
export const mostFormBytes = 5 * 1024 * 1024
export const mostCharacters = 4 * Math.ceil(mostFormBytes / 3)

const startsWith = (bytes: Buffer, start: Uint8Array | readonly number[], at = 0) =>
  bytes.subarray(at, at + start.length).equals(Uint8Array.from(start))

/**
 * Whether a file begins as its type does. Source: PNG 3, section 5.2; JPEG (ISO/IEC 10918-1), SOI and the marker after
 * it; RFC 9649, section 2.4 (WebP); ISO 32000-2, section 7.5.2 (PDF).
 */
const begins: Record<FormType, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
  'image/webp': (bytes) => startsWith(bytes, Buffer.from('RIFF')) && startsWith(bytes, Buffer.from('WEBP'), 8),
  'application/pdf': (bytes) => startsWith(bytes, Buffer.from('%PDF-')),
}

/** The bytes of a text in base64 in its one spelling; null for any other text. Source: RFC 4648, sections 3.5 and 4. */
export function bytesOfBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

// Separators of either family of systems, what no file system shows, and what reads backwards.
const hidden = /[/\\:\p{Cc}\p{Cf}]/u

/** What is wrong with a file: its name, its size, and that it is not what it is said to be. `bytes` null: no base64. */
export function judgeForm(fileName: string, contentType: FormType, bytes: Buffer | null): Violation[] {
  const faults: Violation[] = []
  if (hidden.test(fileName) || /^\.+$/.test(fileName) || fileName.trim() === '') {
    faults.push({ path: 'fileName', code: 'not_a_file_name', message: 'has to be a name alone, without a folder' })
  }
  if (bytes === null) faults.push({ path: 'content', code: 'base64', message: 'is no base64 in its padded form' })
  else if (bytes.length > mostFormBytes) {
    faults.push({ path: 'content', code: 'too_large', message: `has more than ${mostFormBytes} bytes` })
  } else if (!begins[contentType](bytes)) {
    faults.push({ path: 'content', code: 'content_type', message: `does not begin as ${contentType} does` })
  }
  return faults
}
