import type { Operation } from '../../../kernel/operation.ts'
import { passportBulkPages } from './bulk/bulk.ts'
import { passportJobPages } from './bulk/job.ts'
import { passportFormPages } from './form/form.ts'
import { passportListPages } from './list/list.ts'
import { passportActPages } from './one/acts.ts'
import { passportPage } from './one/passport.ts'
import { passportReadinessPages } from './readiness/readiness.ts'

/** The pages about passports. Those with a fixed path come before the pages of one passport, whose id may be any word. */
export const consolePassportPages: Operation[] = [
  ...passportListPages,
  ...passportReadinessPages,
  ...passportBulkPages,
  ...passportJobPages,
  ...passportFormPages,
  ...passportActPages,
  ...passportPage,
]
