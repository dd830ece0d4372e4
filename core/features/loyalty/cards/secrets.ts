import { createSealFromSettings } from '../../../kernel/sealing/seal.ts'
import type { SealedColumn } from '../../../kernel/sealing/reseal.ts'
import type { Context } from '../../../kernel/work.ts'

/** The row that a secret belongs to; it cannot be decrypted for another one. */
interface SecretOwner {
  id: string
  organization: string
}

type SealContext = Pick<Context, 'settings'>

const nameToken = ({ id, organization }: SecretOwner) => `card-token:${organization}:${id}`
const nameCredentials = ({ id, organization }: SecretOwner) => `wallet-credentials:${organization}:${id}`

/** The columns that hold the tokens of cards and the private parts of credentials. */
export const sealedWalletSecrets: SealedColumn[] = [
  { table: 'wallet_credentials', column: 'sealed', getSealName: nameCredentials },
  { table: 'loyalty_cards', column: 'token', getSealName: nameToken },
]

/** Encrypts the token of a card. */
export const sealCardToken = (context: SealContext, owner: SecretOwner, token: string): Buffer =>
  createSealFromSettings(context.settings).encrypt(nameToken(owner), Buffer.from(token))

/** Decrypts the token of a card. @throws Error if the key encryption key is another one */
export const openCardToken = (context: SealContext, owner: SecretOwner & { token: Uint8Array }): string =>
  createSealFromSettings(context.settings).decrypt(nameToken(owner), owner.token).toString()

/** Encrypts the private part of credentials. */
export const sealCredentials = (context: SealContext, owner: SecretOwner, text: string): Buffer =>
  createSealFromSettings(context.settings).encrypt(nameCredentials(owner), Buffer.from(text))

/** Decrypts the private part of credentials. @throws Error if the key encryption key is another one */
export const openCredentials = (context: SealContext, owner: SecretOwner, sealed: Uint8Array): string =>
  createSealFromSettings(context.settings).decrypt(nameCredentials(owner), sealed).toString()
