import { createHash } from 'node:crypto'
import { base32 } from 'multiformats/bases/base32'

/** Leaves of 262,144 bytes, at most 174 of them, below one root. Written after the UnixFS and DAG-PB specifications. */
export function formatTree(bytes: Buffer): string {
  const leaves = Array.from({ length: Math.ceil(bytes.length / 262_144) }, (_, at) =>
    bytes.subarray(at * 262_144, (at + 1) * 262_144),
  )
  if (leaves.length === 1) return textOf(cid(0x55, bytes))
  const links = leaves.map((leaf) =>
    field(2, Buffer.concat([field(1, cid(0x55, leaf)), field(2, Buffer.alloc(0)), number(3, leaf.length)])),
  )
  const unixfs = Buffer.concat([number(1, 2), number(3, bytes.length), ...leaves.map((leaf) => number(4, leaf.length))])
  return textOf(cid(0x70, Buffer.concat([...links, field(1, unixfs)])))
}

const cid = (codec: number, block: Buffer) =>
  Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), createHash('sha256').update(block).digest()])
const textOf = (bytes: Buffer) => base32.encode(bytes)

/** Fields of protocol buffers: bytes, and whole numbers. */
const field = (at: number, bytes: Buffer) => Buffer.concat([varint((at << 3) | 2), varint(bytes.length), bytes])
const number = (at: number, value: number) => Buffer.concat([varint(at << 3), varint(value)])

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}
