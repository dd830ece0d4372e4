import { contextOf } from '../../../core/context.ts'
import { checkDomains } from '../../../core/features/certification/index.ts'
import { readSettings } from '../../../core/settings.ts'

/** The worker's upkeep of domains, in a process of its own: one turn for each message, answered with what went wrong. */
const { context } = await contextOf(readSettings(), 'test-upkeep')
process.on('message', () => void checkDomains(context).then(
  () => process.send?.({ fault: null }),
  (cause: unknown) => process.send?.({ fault: cause instanceof Error ? cause.stack : String(cause) })))
process.on('disconnect', () => process.exit())
