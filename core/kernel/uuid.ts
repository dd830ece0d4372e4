/** Without the prefix of a URN, which no database column takes. Source: RFC 9562, section 4. */
export const uuidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
