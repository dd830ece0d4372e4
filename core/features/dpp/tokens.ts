/** SQL of the 32 bytes of a passport's token, as an index has them: half as long as the text in `token_id`. */
export const tokenBytes = `decode(substr(passports.token_id, 3), 'hex')`

/** The same of a token's identifier. @param tokenId `0x` and 64 hexadecimal digits */
export const bytesOfToken = (tokenId: string) => Buffer.from(tokenId.slice(2), 'hex')
