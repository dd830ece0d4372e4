export { earnPoints, takeBackPoints, type Earned } from './earning.ts'
