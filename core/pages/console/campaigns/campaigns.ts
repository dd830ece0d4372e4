import { campaignStates, listCampaigns, type Campaign } from '../../../features/loyalty/index.ts'
import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf, optional } from '../../../kernel/schema.ts'
import { may, memberPageOptions } from '../console.ts'
import { openPage, renderFramed } from '../frame/frame.ts'
import { declareListFile } from '../frame/list-file.ts'
import {
  createFilter,
  createPageRequest,
  cursorField,
  formatAddress,
  isGiven,
  readPages,
  uuidField,
  type CsvColumns,
} from '../frame/lists.ts'
import { listApplicationsOf, readWallets } from './applications.ts'
import { renderCampaigns, type CampaignQuery } from './campaigns.views.ts'
import { campaignsPath as path } from './paths.ts'
import { campaignWords } from './words/words.ts'

const newestFirst = { field: 'createdAt', order: 'desc' } as const

const filterFields = {
  application: uuidField('The application, if not all.'),
  status: optional(oneOf(['', ...campaignStates], 'The state, if not all.')),
}

const createFilters = ({ application, status }: CampaignQuery) => [
  ...createFilter('application.id', 'eq', application?.toLowerCase()),
  ...createFilter('status', 'eq', status),
]

/** The campaigns of the organization, the newest first. */
const listOperation = declareOperation({
  id: 'console_campaigns_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { ...filterFields, cursor: cursorField },
  document: { tag: 'Pages', summary: 'Campaigns of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { cursor, ...query } = input.query
  const { applications, chosen } = await listApplicationsOf(page, query.application)
  const request = createPageRequest(createFilters(query), { sorter: newestFirst, cursor })
  const { data, total, nextCursor } = await listCampaigns(page.work, page.member, request)
  const isOne = isGiven(query.application) || applications.length === 1
  const content = renderCampaigns(page, {
    campaigns: data,
    total,
    query,
    states: campaignStates,
    applications,
    wallets: chosen && isOne ? await readWallets(page, chosen) : null,
    mayCreate: may(page.member, 'loyalty:create'),
    first: formatAddress(path, query),
    file: formatAddress(`${path}.csv`, query),
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(path, { ...query, cursor: nextCursor }),
  })
  return renderFramed(page, { title: campaignWords[page.language].title }, content)
})

const columns: CsvColumns<Campaign> = [
  ['id', ({ id }) => id],
  ['application', ({ application }) => application],
  ['name', ({ name }) => name],
  ['status', ({ status }) => status],
  ['channels', ({ channels }) => channels.join(' ')],
  ['headline', ({ content }) => content?.headline ?? null],
  ['body', ({ content }) => content?.body ?? null],
  ['audience_size', ({ audienceSize }) => audienceSize],
  ['send_at', ({ sendAt }) => sendAt],
  ['sent_at', ({ sentAt }) => sentAt],
  ['finished_at', ({ finishedAt }) => finishedAt],
  ['created_at', ({ createdAt }) => createdAt],
]

const fileOperation = declareListFile({
  id: 'console_campaigns_file_v1',
  listPath: path,
  permission: 'loyalty:read',
  fileName: 'campaigns',
  description: 'The campaigns.',
  summary: 'Campaigns as CSV',
  columns,
  query: filterFields,
  readRows: ({ member, work }, query) =>
    readPages(newestFirst, (request) => listCampaigns(work, member, request), createFilters(query)),
})

export const campaignListPages: Operation[] = [listOperation, fileOperation]
