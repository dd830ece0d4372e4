import { callRpc } from '../../core/embedded/rpc.ts'

/** A transaction on the chain: the gas that it used, and its gas limit. */
export interface SentTransaction {
  gasUsed: number
  gasLimit: number
}

interface Block {
  transactions: { hash: string; gas: string }[]
}
interface Receipt {
  transactionHash: string
  gasUsed: string
  status: string
}

export const readLastBlock = async (url: string) => Number(await callRpc<string>(url, 'eth_blockNumber', []))

/** Lists all transactions after a block, from any sender. @throws Error if one of them was reverted */
export async function listTransactionsSince(url: string, block: number): Promise<SentTransaction[]> {
  const sent: SentTransaction[] = []
  for (let number = block + 1, last = await readLastBlock(url); number <= last; number++) {
    const name = `0x${number.toString(16)}`
    const { transactions } = await callRpc<Block>(url, 'eth_getBlockByNumber', [name, true])
    const receipts = await callRpc<Receipt[]>(url, 'eth_getBlockReceipts', [name])
    if (receipts.some(({ status }) => status !== '0x1'))
      throw new Error(`A transaction of block ${number} was reverted`)
    for (const { hash, gas } of transactions) {
      const receipt = receipts.find(({ transactionHash }) => transactionHash === hash)
      sent.push({ gasUsed: Number(receipt?.gasUsed), gasLimit: Number(gas) })
    }
  }
  return sent
}
