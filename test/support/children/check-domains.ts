import { createContext } from '../../../core/app/context.ts'
import { checkDomains } from '../../../core/features/certification/index.ts'
import { readSettings } from '../../../core/app/settings.ts'

/**
 * The worker's upkeep of domains in a process of its own: it runs once per message and answers with the fault, if any.
 */
const { context } = await createContext(readSettings(), 'test-upkeep')
process.on(
  'message',
  () =>
    void checkDomains(context).then(
      () => process.send?.({ fault: null }),
      (cause: unknown) => process.send?.({ fault: cause instanceof Error ? cause.stack : String(cause) }),
    ),
)
process.on('disconnect', () => process.exit())
