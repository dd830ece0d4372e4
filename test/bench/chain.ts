import { rpc } from '../../core/embedded/rpc.ts'

/** A transaction as the chain has it: the gas it used, and the most it could have. */
export interface Sent {
  used: number
  limit: number
}

interface Block {
  transactions: { hash: string; gas: string }[]
}
interface Receipt {
  transactionHash: string
  gasUsed: string
  status: string
}

export const lastBlock = async (url: string) => Number(await rpc<string>(url, 'eth_blockNumber', []))

/** Every transaction behind a block, whoever sent it. @throws Error when one of them was reverted */
export async function transactionsSince(url: string, block: number): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let number = block + 1, last = await lastBlock(url); number <= last; number++) {
    const name = `0x${number.toString(16)}`
    const { transactions } = await rpc<Block>(url, 'eth_getBlockByNumber', [name, true])
    const receipts = await rpc<Receipt[]>(url, 'eth_getBlockReceipts', [name])
    if (receipts.some(({ status }) => status !== '0x1'))
      throw new Error(`A transaction of block ${number} was reverted`)
    for (const { hash, gas } of transactions) {
      const receipt = receipts.find(({ transactionHash }) => transactionHash === hash)
      sent.push({ used: Number(receipt?.gasUsed), limit: Number(gas) })
    }
  }
  return sent
}
