import { testCrossing } from './interleaved-calls.ts'

testCrossing(100_000)
