import type { Operation } from '../../../kernel/operation.ts'
import { campaignPages as readPages } from './campaign.ts'
import { campaignListPages } from './campaigns.ts'
import { audiencePages } from './editor/audience.ts'
import { editorPages } from './editor/editor.ts'
import { campaignActPages } from './sending/acts.ts'
import { schedulePages } from './sending/schedule.ts'
import { sendPages } from './sending/send.ts'

/** The pages of campaigns. The fixed ones come before that of one campaign, whose path would match them too. */
export const campaignPages: Operation[] = [
  ...campaignListPages,
  ...audiencePages,
  ...editorPages,
  ...readPages,
  ...sendPages,
  ...schedulePages,
  ...campaignActPages,
]
