import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { changeSettings, checkSettings, readSettings } from './settings.ts'
import { PosSettings, PosSettingsPatch } from './settings.schema.ts'

const tag = 'Points of sale'
const path = '/v1/loyalty/pos-integration/settings'

const getSettings = declareOperation({
  id: 'get_pos_integration_settings_v1',
  method: 'GET',
  path,
  access: 'loyalty:read',
  returns: { 200: PosSettings },
  document: {
    tag,
    summary: 'Read the POS settings',
    description: 'The restaurants that are bound, and where the POS sends its notices.',
    mcpName: 'get_pos_integration_settings',
  },
}).withReadHandler(({ caller, work }) => readSettings(work, caller))

const updateSettings = declareOperation({
  id: 'update_pos_integration_settings_v1',
  method: 'PATCH',
  path,
  access: 'loyalty:update',
  body: PosSettingsPatch,
  returns: { 200: PosSettings },
  document: {
    tag,
    summary: 'Change the POS settings',
    description: 'A restaurant is bound once the POS answers for it.',
    mcpName: 'update_pos_integration_settings',
    mcpHints: { openWorldHint: true },
  },
}).withOutboundHandler(async ({ body, caller, context, finish }) => {
  await checkSettings(context, caller, body)
  return finish((work) => changeSettings(work, caller, body))
})

export const settingsOperations: Operation[] = [getSettings, updateSettings]
