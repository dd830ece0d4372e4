import type { Node } from './node.ts'

/**
 * Makes a contract refuse every call in which a token id stands, and do all else as before: its code moves to an
 * address of its own, and code that looks through the words of the call and then delegates takes its place.
 */
export async function makePicky(node: Node, contract: string, tokenId: string): Promise<void> {
  const inner = `0x${'9e'.repeat(20)}`
  await node.ask('anvil_setCode', inner, await node.ask<string>('eth_getCode', contract, 'latest'))
  const code = [
    '6004', // offset of the first word
    '5b', '36811015', '603d57', // 0x02: loop until the end of the call, then 0x3d
    '80357f', tokenId.slice(2), '14', '603757', // the id stands here: 0x37
    '602001', '600256', // the next word
    '5b', '60006000fd', // 0x37: revert
    '5b', '366000600037', // 0x3d: the same call, run here with the other code
    '6000600036600073', inner.slice(2), '5af4',
    '3d600060003e', '606f57', '3d6000fd',
    '5b', '3d6000f3', // 0x6f: its answer
  ].join('')
  await node.ask('anvil_setCode', contract, `0x${code}`)
}
