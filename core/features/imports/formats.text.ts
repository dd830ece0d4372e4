import { pieceBytes, type Dialect, type Pieces } from './imports.types.ts'

/** Bytes of text that are looked at in one go, so that a busy process comes to its other work in between. */
const chunkBytes = 8 * 1024

/** Bytes of the mark that a file begins with. */
export const markBytes = ({ encoding, bom }: Pick<Dialect, 'encoding' | 'bom'>): number =>
  bom ? (encoding === 'utf-8' ? 3 : 2) : 0

/**
 * The text of a staged file as UTF-8, without its byte order mark, in chunks of at most some hundred KiB. Of
 * UTF-8 the bytes as they are; of other encodings what is no text becomes U+FFFD. Source: WHATWG Encoding.
 * @param from bytes of that text to leave out; of a file in UTF-8 the pieces before are not even read
 */
export async function* textOf(pieces: Pieces, dialect: Dialect, from: number): AsyncGenerator<Buffer> {
  const plain = dialect.encoding === 'utf-8'
  const first = plain ? Math.floor((from + markBytes(dialect)) / pieceBytes) : 0
  const decode = plain ? (bytes: Buffer) => bytes : decoder(dialect.encoding)
  let unread = markBytes(dialect) - first * pieceBytes + (plain ? from : 0)
  let left = plain ? 0 : from
  for await (const piece of pieces(first)) {
    for (let at = Math.min(Math.max(unread, 0), piece.length); at < piece.length; at += chunkBytes) {
      const text = decode(piece.subarray(at, at + chunkBytes))
      if (left < text.length) yield text.subarray(left)
      left = Math.max(0, left - text.length)
    }
    unread -= piece.length
  }
  const rest = decode(Buffer.alloc(0), true)
  if (left < rest.length) yield rest.subarray(left)
}

function decoder(encoding: Dialect['encoding']): (bytes: Buffer, last?: boolean) => Buffer {
  const text = new TextDecoder(encoding, { ignoreBOM: true })
  return (bytes, last = false) => Buffer.from(text.decode(bytes, { stream: !last }))
}
