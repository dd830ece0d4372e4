/** How a family makes keys and signs; the only place where a private key is more than bytes. */
export interface Keys {
  create(): Uint8Array
  /** A key as an operator writes it into the settings. @throws TypeError that does not repeat it */
  read(text: string): Uint8Array
  address(key: Uint8Array): string
  sign(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array>
}

export const families = ['evm'] as const
export type SigningFamily = (typeof families)[number]

/** The keys of a family; its SDK is loaded at first use. */
export async function keysOf(family: SigningFamily): Promise<Keys> {
  switch (family) {
    case 'evm': return (await import('../evm/keys.ts')).keys
  }
}
