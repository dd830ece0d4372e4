import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import getPort from 'get-port'
import { rpc } from '../../core/embedded/rpc.ts'
import { eventually } from './processes.ts'

/** `Transfer(address,address,uint256)`. Source: ERC-721. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** An anvil that may be killed and started again on the same port. */
export async function startNode(...flags: string[]) {
  const program = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const port = await getPort({ host: '127.0.0.1' })
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  const end = () => { child?.kill('SIGKILL') }
  process.once('exit', end)
  const node = {
    url,
    ask: <T>(method: string, ...params: unknown[]) => rpc<T>(url, method, params),
    signal: (signal: NodeJS.Signals) => child?.kill(signal),
    /** A new chain, unless the flags load one. */
    async start(...own: string[]) {
      const all = ['--quiet', '--port', `${port}`, '--enable-tx-gas-limit', '--max-persisted-states', '0', ...flags, ...own]
      child = spawn(program, all, { stdio: 'ignore' })
      await eventually('anvil answers', () => node.ask('eth_chainId').then(() => true, () => false))
    },
    async kill() {
      const gone = child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      end()
      await gone
    },
    async stop() {
      process.off('exit', end)
      await node.kill()
    },
    /** How often each token was minted, by every contract of the chain, and how often it moved. */
    async transfers() {
      const logs = await node.ask<{ topics: string[] }[]>('eth_getLogs', { fromBlock: '0x0', topics: [transferTopic] })
      const count = (wanted: boolean) => {
        const counts = new Map<string, number>()
        for (const { topics: [, from = '', , token = ''] } of logs) {
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
export type Node = Awaited<ReturnType<typeof startNode>>
