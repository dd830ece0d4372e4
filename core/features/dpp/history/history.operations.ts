import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { historyList, PassportHistory } from './history.schema.ts'
import { listHistory } from './history.ts'
import { passportEntity } from '../passports/index.ts'

const getHistory = declareOperation({
  id: 'get_dpp_passport_history_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/history',
  access: 'dpp:read',
  scope: { params: { id: passportEntity } },
  list: historyList,
  returns: { 200: PassportHistory },
  document: {
    tag: 'Passports',
    summary: 'Read the history of a passport',
    description: 'Events, changes of owner, versions of its credential and their anchors, the newest first.',
    mcpName: 'get_dpp_passport_history',
  },
}).withReadHandler(({ caller, page, params, work }) => listHistory(work, caller, params.id, page))

export const historyOperations: Operation[] = [getHistory]
