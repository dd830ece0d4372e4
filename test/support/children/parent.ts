import { startPlatform } from '../own-platform.ts'
import { findChildAddress, obedientPlatform } from './obedient-platform.ts'

/**
 * A process that starts a platform in the folder of its argument, prints the process ids, and waits to be killed. One
 * of its children is blocked: its only thread waits for ever.
 */
const { children, parts, lines } = await startPlatform({ ...obedientPlatform, dataDir: process.argv[2] ?? '' })
const blockedRequest = fetch(`${findChildAddress(lines, 'worker')}/block`)
blockedRequest.catch(() => undefined)
const watchedProcesses = [
  ...Object.values(children),
  parts.postgres,
  parts.anvil,
  ...(parts.redis ? [parts.redis] : []),
]
process.stdout.write(`${JSON.stringify(watchedProcesses.map(({ pid }) => pid))}\n`)
setInterval(() => undefined, 1000)
