import type { Words } from '../words.types.ts'
import { card } from './card.ts'
import { claiming } from './claim.ts'
import { me } from './me.ts'
import { notices, resolver } from './notices.ts'
import { owning } from './owning.ts'
import { passingOn } from './passing-on.ts'
import { passport } from './passport.ts'
import { product } from './product.ts'
import { report } from './report.ts'
import { site } from './site.ts'
import { wallets } from './wallets.ts'

export const french: Words = {
  ...site,
  ...passport,
  product,
  report,
  notices,
  resolver,
  card,
  claiming,
  me,
  wallets,
  passingOn,
  owning,
}
