import { networks, type Network } from '../networks.ts'

/** How a family creates keys and signs. Nowhere else is a private key more than bytes. */
export interface KeyAlgorithm {
  createKey(): Uint8Array
  /** Parses a key as an operator writes it in the settings. @throws TypeError whose message does not repeat the key */
  parseKey(text: string): Uint8Array
  toAddress(key: Uint8Array): string
  signBytes(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
}

export const signingFamilies = ['evm'] as const
export type SigningFamily = (typeof signingFamilies)[number]

/** Returns whether the signer has keys of a family. */
export const isSigningFamily = (family: unknown): family is SigningFamily =>
  signingFamilies.some((name) => name === family)

/** Finds the family of a network. @returns undefined if there is no such network, or if the signer has no keys for it */
export function findSigningFamily(network: string): SigningFamily | undefined {
  const family = Object.hasOwn(networks, network) ? networks[network as Network].family : undefined
  return isSigningFamily(family) ? family : undefined
}

/** Loads the key algorithm of a family. The family's SDK is loaded at first use. */
export async function loadKeyAlgorithm(family: SigningFamily): Promise<KeyAlgorithm> {
  switch (family) {
    case 'evm':
      return (await import('../evm/keys.ts')).evmKeyAlgorithm
  }
}
