import { crossing } from './crossing.ts'

crossing(2_000)
