import { once } from 'node:events'
import { startFlood, type FloodOptions } from '../floods.ts'

/** A flood in a process of its own: takes its options as the first message, says `{risen: true}`, and what came of it once it is told to stop. */
const [options] = (await once(process, 'message')) as [FloodOptions]
const flood = startFlood(options)
await flood.atFullRate
process.send?.({ risen: true })
await once(process, 'message')
process.send?.(await flood.stop())
process.disconnect()
