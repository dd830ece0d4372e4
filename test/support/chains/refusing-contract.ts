import type { AnvilNode } from '../node.ts'

/**
 * Makes a contract refuse every call that contains a token id, without other changes. The contract's code moves to
 * another address. The new code searches the words of the call for the id and then delegates to the moved code.
 */
export async function makeContractRefuseToken(node: AnvilNode, contract: string, tokenId: string): Promise<void> {
  const innerAddress = `0x${'9e'.repeat(20)}`
  await node.callRpc('anvil_setCode', innerAddress, await node.callRpc<string>('eth_getCode', contract, 'latest'))
  const code = [
    '6004', // offset of the first word
    '5b',
    '36811015',
    '603d57', // 0x02: loop until the end of the call, then 0x3d
    '80357f',
    tokenId.slice(2),
    '14',
    '603757', // the id stands here: 0x37
    '602001',
    '600256', // the next word
    '5b',
    '60006000fd', // 0x37: revert
    '5b',
    '366000600037', // 0x3d: the same call, run here with the other code
    '6000600036600073',
    innerAddress.slice(2),
    '5af4',
    '3d600060003e',
    '606f57',
    '3d6000fd',
    '5b',
    '3d6000f3', // 0x6f: its answer
  ].join('')
  await node.callRpc('anvil_setCode', contract, `0x${code}`)
}
