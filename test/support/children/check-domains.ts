import { contextOf } from '../../../core/context.ts'
import { checkDomains } from '../../../core/features/certification/index.ts'
import { readSettings } from '../../../core/settings.ts'

/** One turn of the worker's upkeep of domains, in a process of its own. */
const { context, close } = await contextOf(readSettings(), 'test-upkeep')
await checkDomains(context)
await close()
