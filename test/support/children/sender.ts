import { runSenders } from './sender-process.ts'

runSenders()
