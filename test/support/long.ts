import { runSuite } from './suite.ts'

/** What takes minutes: kills by the hundred, a million rows, a hundred thousand calls. */
await runSuite('.long.ts')
