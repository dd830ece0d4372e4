import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { CardChannel } from '../../accounts/index.ts'
import { applicationEntity } from '../../applications/index.ts'
import { cardChannel, NewWalletCredentials, WalletCredentials } from './credentials.schema.ts'
import { readShownCredentials, removeCredentials, setCredentials } from './credentials.ts'

const common = {
  path: '/v1/applications/:appId/wallet-credentials/:channel',
  params: { channel: cardChannel },
  scope: { params: { appId: applicationEntity } },
  returns: { 200: WalletCredentials },
} as const
const tag = 'Cards'

/** The schema of the path lets no other word through. */
const toChannel = (text: string) => text as CardChannel

const getCredentials = declareOperation({
  ...common,
  id: 'get_wallet_credentials_v1',
  method: 'GET',
  access: 'application:read',
  document: {
    tag,
    summary: 'Read the credentials of a wallet',
    description: 'Without their private part, which nobody can read.',
  },
}).withReadHandler(({ params, work }) => readShownCredentials(work, params.appId, toChannel(params.channel)))

const putCredentials = declareOperation({
  ...common,
  id: 'set_wallet_credentials_v1',
  method: 'PUT',
  access: 'application:update',
  body: NewWalletCredentials,
  document: {
    tag,
    summary: 'Set the credentials of a wallet',
    description:
      'Apple Wallet: `certificate` and `privateKey`, of the pass type that the application names. Google Wallet: `serviceAccount`.',
  },
}).withTransactionHandler(({ body, params, work }) =>
  setCredentials(work, params.appId, toChannel(params.channel), body),
)

const deleteCredentials = declareOperation({
  ...common,
  id: 'delete_wallet_credentials_v1',
  method: 'DELETE',
  access: 'application:update',
  document: {
    tag,
    summary: 'Delete the credentials of a wallet',
    description: 'Cards that phones have stay as they are, and get no messages.',
    needsConfirmation: true,
  },
}).withTransactionHandler(({ params, work }) => removeCredentials(work, params.appId, toChannel(params.channel)))

export const credentialOperations: Operation[] = [getCredentials, putCredentials, deleteCredentials]
