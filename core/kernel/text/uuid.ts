/** A UUID without the URN prefix, which no database column accepts. Source: RFC 9562, section 4. */
export const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
