import { crossing } from './crossing.ts'

crossing(100_000)
