import type { ClaimWords } from '../words.types.ts'

export const claiming: ClaimWords = {
  title: (name) => `${name} übernehmen`,
  intro:
    'Dieser Artikel kann auf Sie eingetragen werden. Melden Sie sich mit einem Code an und übernehmen Sie ihn dann.',
  email: 'Ihre E-Mail-Adresse',
  sendCode: 'Code senden',
  callingCode: 'Ländervorwahl',
  phone: 'Ihre Telefonnummer',
  textCode: 'Code per SMS senden',
  withGoogle: 'Weiter mit Google',
  withBrand: (brand) => `Weiter mit Ihrem Konto bei ${brand}`,
  lookFirst: 'Zuerst den Produktpass ansehen',
  sentTo: 'Sechs Ziffern sind unterwegs an',
  goodFor: 'Sie sind 10 Minuten lang gültig.',
  code: 'Ihr Code',
  signIn: 'Anmelden',
  anotherCode: 'Neuen Code senden',
  signedIn: 'Sie sind angemeldet.',
  signedInAs: 'Sie sind angemeldet als',
  once: 'Der Token dieses Produktpasses wird in Ihr Wallet übertragen. Das geschieht nur einmal.',
  onceByLink:
    'Der Token dieses Produktpasses wird in Ihr Wallet übertragen. Das geschieht nur einmal, und der Link gilt danach nicht mehr.',
  button: 'Übernehmen',
  refusals: {
    AUTH_INVALID_OTP: 'Dieser Code ist falsch oder nicht mehr gültig. Suchen Sie nach der neuesten Nachricht.',
    VALIDATION_FAILED: 'Prüfen Sie Ihre Eingabe: Das ist keine gültige Adresse oder Nummer.',
    DPP_CLAIM_NOT_ALLOWED:
      'Der Händler hat diese Adresse für den Artikel nicht angegeben. Verwenden Sie eine andere oder bitten Sie um einen Link.',
    DPP_PASSPORT_NOT_CLAIMABLE: 'Dieser Artikel lässt sich zurzeit nicht übernehmen.',
    DPP_MAGIC_TOKEN_INVALID: 'Der Link wurde bereits verwendet, ist abgelaufen oder unvollständig.',
    QUOTA_EXCEEDED: 'Das Kontingent des Anbieters ist für diesen Monat erschöpft.',
    RATE_LIMITED: 'Zu viele Anfragen. Warten Sie einen Moment und versuchen Sie es noch einmal.',
  },
  refused: 'Das hat nicht geklappt. Versuchen Sie es etwas später noch einmal oder fragen Sie den Händler.',
  broken: {
    head: 'Dieser Link funktioniert nicht',
    text: 'Er wurde bereits verwendet, ist abgelaufen oder wurde nicht vollständig kopiert. Bitten Sie den Händler um einen neuen.',
    see: 'Zum Produktpass',
  },
  closed: {
    head: 'Übernahme nicht möglich',
    text: 'Diesen Artikel gibt es nicht, er hat schon einen Eigentümer, oder er wird nicht zur Übernahme angeboten.',
  },
  waiting: {
    head: 'Wird übernommen\u00a0…',
    text: 'Ihr Produktpass wird an Sie übergeben. Das dauert einige Sekunden; die Seite aktualisiert sich von selbst.',
    bar: 'Übernahme läuft',
  },
  done: {
    head: 'Es gehört Ihnen',
    text: 'Sie haben den Produktpass übernommen, und sein Token ist in Ihrem Wallet.',
    transaction: 'Transaktion',
    token: 'Token',
    see: 'Zu Ihrem Produktpass',
    all: 'Alle Ihre Produktpässe und Punkte',
  },
  failed: {
    head: 'Das hat nicht geklappt',
    text: 'Die Übernahme ist fehlgeschlagen.',
    again:
      'Es ist nichts verloren: Sie können den Artikel weiterhin übernehmen. Beginnen Sie noch einmal oder fragen Sie den Händler.',
  },
}
