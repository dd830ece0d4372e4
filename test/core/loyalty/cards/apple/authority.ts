import { randomUUID } from 'node:crypto'
import { createPassAuthority, type PassNames, type PemPair } from '../../../../support/wallets/apple/certificates.ts'

let authority: PemPair | undefined
/** The authority behind all pass types of a test run. */
export const getAuthority = (): PemPair => (authority ??= createPassAuthority())

/** Names that no other test uses. */
export const createNames = (): PassNames => ({
  passTypeIdentifier: `pass.example.${randomUUID().slice(0, 8)}`,
  teamIdentifier: 'ABCDE12345',
})
