import { startPlatform } from '../platform.ts'
import { addressOf, obedientFamily } from './family.ts'

/**
 * A process that starts a platform in the folder of its argument, tells the process ids, and waits to be killed. One
 * of its children hears nothing any more: its only thread waits for ever.
 */
const { children, parts, lines } = await startPlatform({ ...obedientFamily, dataDir: process.argv[2] ?? '' })
const hung = fetch(`${addressOf(lines, 'worker')}/block`)
hung.catch(() => undefined)
const kept = [...Object.values(children), parts.postgres, parts.anvil, ...(parts.redis ? [parts.redis] : [])]
process.stdout.write(`${JSON.stringify(kept.map(({ pid }) => pid))}\n`)
setInterval(() => undefined, 1000)
