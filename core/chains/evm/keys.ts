import { hexToBytes, keccak256, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress, sign } from 'viem/accounts'
import type { Keys } from '../signer/keys.ts'

/** Keys of the curve secp256k1. The bytes are a transaction without its signature; their Keccak-256 is signed. */
export const keys: Keys = {
  create: () => hexToBytes(generatePrivateKey()),
  read: (text) => {
    const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1]
    if (digits === undefined) throw new TypeError('a private key of this family is 0x and up to 64 hexadecimal digits')
    return hexToBytes(`0x${digits.padStart(64, '0')}`)
  },
  address: (key) => privateKeyToAddress(hex(key)),
  sign: async (key, bytes) => hexToBytes(await sign({ hash: keccak256(bytes), privateKey: hex(key), to: 'hex' })),
}

const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
