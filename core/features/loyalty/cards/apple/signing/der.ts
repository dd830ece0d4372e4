/*
 * What of DER is needed to sign passes and to make a certificate of development. Source: ITU-T X.690.
 */

/** Tags of the types that are written. */
const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  nothing: 0x05,
  identifier: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const

/** Writes one element. */
export function writeElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff_ff ? 6 : length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content])
}

export const writeSequence = (...parts: readonly Uint8Array[]): Buffer => writeElement(tags.sequence, ...parts)

/** Writes a set. The caller gives its elements in the order of their bytes. */
export const writeSet = (...parts: readonly Uint8Array[]): Buffer => writeElement(tags.set, ...parts)
export const writeOctets = (bytes: Uint8Array): Buffer => writeElement(tags.octets, bytes)
export const writeBits = (bytes: Uint8Array): Buffer => writeElement(tags.bits, Buffer.from([0]), bytes)
export const writeUtf8 = (text: string): Buffer => writeElement(tags.utf8, Buffer.from(text))
export const writeNull = (): Buffer => writeElement(tags.nothing)

/** Writes a constructed element with a tag of its context. */
export const writeTagged = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  writeElement(0xa0 | number, ...parts)

/** Writes an integer that is not below zero. */
export const writeInteger = (bytes: Uint8Array): Buffer =>
  writeElement(tags.integer, (bytes[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes)

/** Writes an object identifier, given as `1.2.840`. */
export function writeIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...others].flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80)
    return groups
  })
  return writeElement(tags.identifier, Buffer.from(bytes))
}

/** Writes a time before 2050. */
export function writeTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return writeElement(tags.utcTime, Buffer.from(`${digits}Z`))
}

/** An element that was read: all its bytes, and where its content begins among them. */
export interface Element {
  tag: number
  bytes: Buffer
  content: Buffer
}

/** Reads the elements that stand one after the other. @throws RangeError for bytes that are cut off */
export function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at)
    const short = bytes.readUInt8(at + 1)
    const digits = short < 0x80 ? 0 : short & 0x7f
    const length = digits === 0 ? short : bytes.readUIntBE(at + 2, digits)
    const from = at + 2 + digits
    if (from + length > bytes.length) throw new RangeError('an element ends behind the bytes')
    elements.push({ tag, bytes: bytes.subarray(at, from + length), content: bytes.subarray(from, from + length) })
    at = from + length
  }
  return elements
}
