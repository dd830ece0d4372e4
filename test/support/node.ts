import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { findFreePort } from '../../core/start/ports.ts'
import { callRpc } from '../../core/embedded/rpc.ts'
import { waitUntil } from './processes.ts'

/** The topic of `Transfer(address,address,uint256)`. Source: ERC-721. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Starts an anvil that can be killed and started again on the same port. */
export async function startNode(...flags: string[]) {
  const program = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  const killNode = () => {
    child?.kill('SIGKILL')
  }
  process.once('exit', killNode)
  const node = {
    url,
    callRpc: <T>(method: string, ...params: unknown[]) => callRpc<T>(url, method, params),
    sendSignal: (signal: NodeJS.Signals) => child?.kill(signal),
    /** Starts the node with a new chain, unless the flags load one. */
    async start(...extraFlags: string[]) {
      const all = [
        '--quiet',
        '--port',
        `${port}`,
        '--enable-tx-gas-limit',
        '--max-persisted-states',
        '0',
        ...flags,
        ...extraFlags,
      ]
      child = spawn(program, all, { stdio: 'ignore' })
      await waitUntil('anvil answers', () =>
        node.callRpc('eth_chainId').then(
          () => true,
          () => false,
        ),
      )
    },
    async kill() {
      const exited = child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      killNode()
      await exited
    },
    async stop() {
      process.off('exit', killNode)
      await node.kill()
    },
    /** Counts how often each token was minted, by all contracts of the chain, and how often it was transferred. */
    async countTransfers() {
      const logs = await node.callRpc<{ topics: string[] }[]>('eth_getLogs', {
        fromBlock: '0x0',
        topics: [transferTopic],
      })
      const count = (wanted: boolean) => {
        const counts = new Map<string, number>()
        for (const {
          topics: [, from = '', , token = ''],
        } of logs) {
          if (/^0x0+$/.test(from) === wanted) counts.set(token, (counts.get(token) ?? 0) + 1)
        }
        return counts
      }
      return { mints: count(true), moves: count(false) }
    },
  }
  await node.start()
  return node
}
export type AnvilNode = Awaited<ReturnType<typeof startNode>>
