/** The SQL of the 32 bytes of a passport's token, as in an index: half as long as the text in `token_id`. */
export const tokenBytesSql = `decode(substr(passports.token_id, 3), 'hex')`

/**
 * Converts the identifier of a token to its 32 bytes.
 * @param tokenId `0x` and 64 hexadecimal digits
 */
export const parseTokenBytes = (tokenId: string) => Buffer.from(tokenId.slice(2), 'hex')
