import { hexToBytes, keccak256, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress, sign } from 'viem/accounts'
import type { KeyAlgorithm } from '../signer/keys.ts'

/** The key algorithm of the curve secp256k1. It signs the Keccak-256 of a transaction's bytes without the signature. */
export const evmKeyAlgorithm: KeyAlgorithm = {
  createKey: () => hexToBytes(generatePrivateKey()),
  parseKey: (text) => {
    const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1]
    if (digits === undefined) throw new TypeError('a private key of this family is 0x and up to 64 hexadecimal digits')
    return hexToBytes(`0x${digits.padStart(64, '0')}`)
  },
  toAddress: (key) => privateKeyToAddress(formatHex(key)),
  signBytes: async (key, bytes) =>
    hexToBytes(await sign({ hash: keccak256(bytes), privateKey: formatHex(key), to: 'hex' })),
}

const formatHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
