import { runSuite } from './suite/suite.ts'

await runSuite('.test.ts')
