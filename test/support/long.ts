import { runSuite } from './suite/suite.ts'

/** Runs the tests that take minutes: hundreds of kills, a million rows, a hundred thousand calls. */
await runSuite('.long.ts', { oneAtATime: true })
