import { testCrossing } from './interleaved-calls.ts'

testCrossing(2_000)
