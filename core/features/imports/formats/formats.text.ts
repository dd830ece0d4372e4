import { type Dialect, pieceBytes, type Pieces } from '../records/index.ts'

/** The number of bytes that are decoded at a time, so that a busy process gets to its other work in between. */
const chunkBytes = 8 * 1024

/** Returns the number of bytes of the byte order mark that the file begins with. */
export const getMarkBytes = ({ encoding, bom }: Pick<Dialect, 'encoding' | 'bom'>): number =>
  bom ? (encoding === 'utf-8' ? 3 : 2) : 0

/**
 * Yields the text of a staged file as UTF-8, without its byte order mark, in chunks that come from at most 8 KiB of the
 * file. UTF-8 bytes stay as they are; of other encodings, bytes that are not text become U+FFFD. Source: WHATWG
 * Encoding.
 * @param from the number of bytes of that text to leave out; of a file in UTF-8 the pieces before are not even read
 */
export async function* readText(pieces: Pieces, dialect: Dialect, from: number): AsyncGenerator<Buffer> {
  const plain = dialect.encoding === 'utf-8'
  const first = plain ? Math.floor((from + getMarkBytes(dialect)) / pieceBytes) : 0
  const decode = plain ? (bytes: Buffer) => bytes : createDecoder(dialect.encoding)
  let unread = getMarkBytes(dialect) - first * pieceBytes + (plain ? from : 0)
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

function createDecoder(encoding: Dialect['encoding']): (bytes: Buffer, last?: boolean) => Buffer {
  const text = new TextDecoder(encoding, { ignoreBOM: true })
  return (bytes, last = false) => Buffer.from(text.decode(bytes, { stream: !last }))
}
