import {
  boolean,
  nullable,
  instant,
  object,
  oneOf,
  optional,
  secret,
  string,
  type Static,
} from '../../../kernel/schema.ts'
import { cardChannels } from '../../accounts/index.ts'

export const cardChannel = oneOf(cardChannels, 'The wallet.', { examples: ['apple-wallet'] })

export const WalletCredentials = object(
  {
    channel: cardChannel,
    isConfigured: boolean('Whether there are any. In development, Apple Wallet works without.'),
    passTypeIdentifier: optional(string('Pass type of the certificate.')),
    teamIdentifier: optional(string('Team of the certificate.')),
    issuerId: optional(string('Issuer account, as the settings of the application name it.')),
    clientEmail: optional(string('Name of the service account.')),
    expiresAt: optional(instant('When the certificate ends.')),
    updatedAt: nullable(instant('When they were last set.')),
  },
  { title: 'WalletCredentials', description: 'With what cards are issued; the private part is never shown.' },
)
export type WalletCredentials = Static<typeof WalletCredentials>

const pem = { minLength: 1, maxLength: 20_000 }

const ServiceAccount = object(
  {
    client_email: string('Its name.', { format: 'email', maxLength: 320 }),
    private_key: secret('Its key as PEM.', pem),
    private_key_id: optional(string('Name of the key.', { maxLength: 200 })),
  },
  {
    title: 'GoogleServiceAccount',
    description: 'The key file of a service account; its other members are not kept.',
    additionalProperties: true,
  },
)

export const NewWalletCredentials = object(
  {
    certificate: optional(
      string('For Apple Wallet: the certificate of the pass type as PEM, with that of its issuer behind it.', pem),
    ),
    privateKey: optional(secret('For Apple Wallet: the key of the certificate as PEM.', pem)),
    serviceAccount: optional(ServiceAccount),
  },
  { title: 'NewWalletCredentials', description: 'Credentials of one wallet.' },
)
export type NewWalletCredentials = Static<typeof NewWalletCredentials>
