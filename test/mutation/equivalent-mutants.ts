/** Which changes of the domain change nothing that a caller could see, and why? The run tells what is listed here and no longer fits. */

export interface EquivalentMutants {
  readonly file: string;
  /** The first line that is changed, without indentation. */
  readonly line: string;
  /** What stands in the place of what. */
  readonly changes: readonly (readonly [original: string, replacement: string])[];
  readonly why: string;
}

/** A memory of what was computed: with or without it the same is answered. */
const ONLY_SPEED = 'What is remembered is what would be computed again.';
const REFUSED_LATER = 'What it refuses, the checks of length and content after it refuse too.';
const NOTHING_RETURNED = 'Without the line undefined is returned too.';
const SPELLED = 'What is behind the zone is not where the digits are looked for.';
const AT_LEAST_ONE = 'A list that was read has at least one member.';
const UNDEFINED_IS_NO_FOLD = 'What could not be parsed is undefined then, which is refused next.';

export const EQUIVALENT_MUTANTS: readonly EquivalentMutants[] = [
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (cached !== undefined) return cached;',
    changes: [['cached !== undefined', 'false']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (cachedBits.size >= MAX_CACHED_ITEMS) {',
    changes: [
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'true'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'false'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'cachedBits.size > MAX_CACHED_ITEMS'],
      ['cachedBits.size >= MAX_CACHED_ITEMS', 'cachedBits.size < MAX_CACHED_ITEMS'],
    ],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'cachedBits.set(item, bits);',
    changes: [['cachedBits.set(item, bits);', ';']],
    why: ONLY_SPEED,
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (bloom === cover) return true;',
    changes: [['bloom === cover', 'false']],
    why: 'Every bit of a bloom is set in the bloom itself; the line only says so sooner.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'for (let at = 2; at < NIBBLES + 2; at++) {',
    changes: [['at < NIBBLES + 2', 'at <= NIBBLES + 2']],
    why: 'After the end both texts have no digit, which is read alike.',
  },
  {
    file: 'src/domain/index-rules/bloom.ts',
    line: 'if (nibble !== 0 && (nibble & ~nibbleAt(cover, at)) !== 0) return false;',
    changes: [['nibble !== 0', 'true']],
    why: 'A digit of 0 has no bit that the other could lack; the condition only says so sooner.',
  },
  {
    file: 'src/domain/index-rules/block-checks.ts',
    line: 'if (log.blockNumber !== before.blockNumber) return log.blockNumber > before.blockNumber;',
    changes: [['log.blockNumber > before.blockNumber', 'log.blockNumber >= before.blockNumber']],
    why: 'Only numbers that differ are compared.',
  },
  {
    file: 'src/domain/rating/amount.ts',
    line: "return { status: 'ok', cents: cents > MAX_EVENT_CENTS ? MAX_EVENT_CENTS : Number(cents) };",
    changes: [['cents > MAX_EVENT_CENTS', 'cents >= MAX_EVENT_CENTS']],
    why: 'At the limit both ways give the limit.',
  },
  {
    file: 'src/domain/rating/daily-rating.ts',
    line: 'if (firstEventDay === undefined) return { revenueBeforeCents: 0, days: [] };',
    changes: [['firstEventDay === undefined', 'false']],
    why: 'Without a beginning no day is at or after it, and nothing adds up.',
  },
  {
    file: 'src/domain/rating/daily-totals.ts',
    line: 'return sum > SAFE ? SAFE : Number(sum);',
    changes: [['sum > SAFE', 'sum >= SAFE']],
    why: 'At the limit both ways give the limit.',
  },
  {
    file: 'src/domain/rating/dormancy.ts',
    line: 'if (beyond <= 0) return { idleDays, lostHundredths: 0 };',
    changes: [['beyond <= 0', 'beyond < 0']],
    why: 'Of 0 days beyond, the curve takes nothing either.',
  },
  {
    file: 'src/domain/rating/event.ts',
    line: 'const isBeforeBlock = event.timestamp < event.blockTimestamp;',
    changes: [['event.timestamp < event.blockTimestamp', 'event.timestamp <= event.blockTimestamp']],
    why: 'Equal times are of one day.',
  },
  {
    file: 'src/domain/rating/rate-table.ts',
    line: 'return newest >= 0 && days[newest]! >= day - RATE_WINDOW_DAYS ? rates[newest] : undefined;',
    changes: [['newest >= 0', 'true']],
    why: 'Before the first there is no day, which is not within the window either.',
  },
  {
    file: 'src/domain/rating/scale.ts',
    line: 'return firstQualifyingDay === undefined || lastQualifyingDay === undefined',
    changes: [
      [
        'firstQualifyingDay === undefined || lastQualifyingDay === undefined',
        'firstQualifyingDay === undefined && lastQualifyingDay === undefined',
      ],
      ['firstQualifyingDay === undefined', 'false'],
      ['lastQualifyingDay === undefined', 'false'],
    ],
    why: 'The same event sets the first and the last qualifying day: one is known when the other is.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (tag === undefined || (tag & NUMBER) === NUMBER || depthLeft === 0) throw new DerInvalid();',
    changes: [['tag === undefined', 'false']],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (first === undefined) throw new DerInvalid();',
    changes: [
      ['first === undefined', 'false'],
      ['throw new DerInvalid();', ';'],
    ],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length) throw new DerInvalid();',
    changes: [
      ['octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length', 'false'],
      [
        'octets === 0 || octets > MAX_LENGTH_OCTETS || contentStart > bytes.length',
        '(octets === 0 || octets > MAX_LENGTH_OCTETS) && contentStart > bytes.length',
      ],
      ['octets === 0 || octets > MAX_LENGTH_OCTETS', 'false'],
      ['octets === 0 || octets > MAX_LENGTH_OCTETS', 'octets === 0 && octets > MAX_LENGTH_OCTETS'],
      ['octets === 0', 'false'],
      ['octets > MAX_LENGTH_OCTETS', 'false'],
      ['contentStart > bytes.length', 'false'],
      ['contentStart > bytes.length', 'contentStart >= bytes.length'],
      ['throw new DerInvalid();', ';'],
    ],
    why: REFUSED_LATER,
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'if (second === undefined) return true;',
    changes: [['second === undefined', 'false']],
    why: 'One octet has none after it, and none after it is no octet that could be left out.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'return content.length === 1 ? unusedBits === 0 : (content.at(-1)! & ((1 << unusedBits) - 1)) === 0;',
    changes: [['content.length === 1', 'false']],
    why: 'The count itself stands for the last octet then, and of 1 to 7 some bit is among as many low ones.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'return content.every((octet, index) => octet !== 0x80 || (index > 0 && content[index - 1]! >= 0x80));',
    changes: [
      ['index > 0', 'true'],
      ['index > 0', 'index >= 0'],
    ],
    why: 'Before the first octet there is none, which is not 0x80 or more.',
  },
  {
    file: 'src/domain/evidence/certificate/der.ts',
    line: 'for (let at = 0; at < content.length; at += octets) {',
    changes: [['at < content.length', 'at <= content.length']],
    why: 'After the end there is a character of no octets, which is 0 and allowed.',
  },
  {
    file: 'src/domain/evidence/certificate/certificate-time.ts',
    line: 'const UTC_TIME = /^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;',
    changes: [
      [
        '/^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/',
        '/^([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z/',
      ],
    ],
    why: SPELLED,
  },
  {
    file: 'src/domain/evidence/certificate/certificate-time.ts',
    line: 'const GENERALIZED_TIME = /^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/;',
    changes: [
      [
        '/^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$/',
        '/^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z/',
      ],
    ],
    why: SPELLED,
  },
  {
    file: 'src/domain/evidence/certificate/certificate-file.ts',
    line: "const blocks = Array.from(text.matchAll(PEM_BLOCK), ([, lines = '']) => lines.replaceAll(/[\\r\\n]/g, ''));",
    changes: [["''", '"Stryker was here!"']],
    why: 'The group is part of every match.',
  },
  {
    file: 'src/domain/evidence/certificate/extensions.ts',
    line: 'for (let bit = 0; bit < 8; bit++) if ((octet & (0x80 >> bit)) !== 0) set.add(8 * index + bit);',
    changes: [['bit < 8', 'bit <= 8']],
    why: '0x80 has no ninth bit.',
  },
  {
    file: 'src/domain/evidence/certificate/extensions.ts',
    line: 'return { keyId, certificate: issuer && serial && { issuer, serial } };',
    changes: [['issuer && serial', 'issuer || serial']],
    why: 'The line before leaves both or none.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'basicConstraints?.isCa === false && keyUsage?.size === 1 && keyUsage.has(KEY_USAGE.digitalSignature),',
    changes: [
      ['basicConstraints?.isCa', 'basicConstraints.isCa'],
      ['keyUsage?.size', 'keyUsage.size'],
    ],
    why: 'The row before it leaves no leaf without them.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'if (access === undefined || others.length > 0) return false;',
    changes: [['access === undefined', 'false']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'if (point === undefined || others.length > 0 || point.hasReasons || point.hasIssuer) return false;',
    changes: [['point === undefined', 'false']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'const [name, ...moreNames] = point.fullName ?? [];',
    changes: [['[]', '["Stryker was here"]']],
    why: 'A text is no name that has a form.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: "issuer?.form === 'directory' &&",
    changes: [['issuer?.form', 'issuer.form']],
    why: AT_LEAST_ONE,
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: "return method === OID.caIssuers && location.form === 'uri' && location.text === uri;",
    changes: [["location.form === 'uri'", 'true']],
    why: 'No other form has a text.',
  },
  {
    file: 'src/domain/evidence/certificate/leaf-profile.ts',
    line: 'return start !== undefined && end !== undefined && start <= nowSeconds && nowSeconds <= end;',
    changes: [
      ['start !== undefined && end !== undefined', 'true'],
      ['start !== undefined && end !== undefined', 'start !== undefined || end !== undefined'],
      ['start !== undefined', 'true'],
      ['end !== undefined', 'true'],
    ],
    why: 'Nothing is before or after a time that cannot be read, and a row before it refused that.',
  },
  {
    file: 'src/domain/evidence/certificate/trust-material.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/evidence/certificate/trust-material.ts',
    line: "if (certificate === undefined || extensions === undefined) return 'must be the strict DER of one certificate';",
    changes: [['certificate === undefined', 'false']],
    why: 'Without a certificate there are no extensions either.',
  },
  {
    file: 'src/domain/rating/rating-state-codec.ts',
    line: "if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RatingStateUnreadable();",
    changes: [["typeof value !== 'object'", 'false']],
    why: 'A text, a number or a truth has no model, which is refused next.',
  },
  {
    file: 'src/domain/rating/rating-state-codec.ts',
    line: '} catch {',
    changes: [['{\n    throw new RatingStateUnreadable();\n  }', '{}']],
    why: UNDEFINED_IS_NO_FOLD,
  },
  {
    file: 'src/domain/rating/rating-state-codec.ts',
    line: 'throw new RatingStateUnreadable();',
    changes: [['throw new RatingStateUnreadable();', ';']],
    why: UNDEFINED_IS_NO_FOLD,
  },
  {
    file: 'src/domain/rating/rating-state-codec.ts',
    line: "const MEMBERS = ['model', ...COUNTS, ...MOMENTS, 'buckets'];",
    changes: [
      ["'model'", '""'],
      ["'buckets'", '""'],
    ],
    why: 'Only how many they are is asked.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "if (addEvent(draft, event, rates, 'pass') === 'pending') hasPending = true;",
    changes: [["'pass'", '""']],
    why: 'Whatever is not to stop passes.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "if (!isSound) return 'added';",
    changes: [["'added'", '""']],
    why: 'Whatever is not pending is added.',
  },
  {
    file: 'src/domain/rating/rating-state.ts',
    line: "return isPending ? 'pending' : 'added';",
    changes: [["'added'", '""']],
    why: 'Whatever is not pending is added.',
  },
  {
    file: 'src/domain/rating/rating.ts',
    line: "summary: summarize({ kind: 'unavailable' }, state, false, undefined),",
    changes: [['false', 'true']],
    why: 'The summary of what is unavailable says nothing else.',
  },
  {
    file: 'src/domain/rating/rating.ts',
    line: 'const isDegraded = state.lastUnconvertedDay !== undefined && state.lastUnconvertedDay > today - WINDOW_DAYS;',
    changes: [['state.lastUnconvertedDay !== undefined', 'true']],
    why: 'Nothing is not after a day.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'if (firstQualifyingDay === undefined || firstQualifyingDay > firstPrior) return NO_BASIS;',
    changes: [['firstQualifyingDay === undefined', 'false']],
    why: 'Where nothing ever qualified nothing is found to compare.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'const best = prior.reduce((a, b) => (a > b ? a : b));',
    changes: [['a > b', 'a >= b']],
    why: 'Of equals either is the best.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'evenPercent: percentOf(sum(recent.map((amount) => (amount < best ? amount : best))), priorSum),',
    changes: [['amount < best', 'amount <= best']],
    why: 'Of equals either is the smaller.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'return percent > TREND.maxPercent ? TREND.maxPercent : Number(percent);',
    changes: [['percent > TREND.maxPercent', 'percent >= TREND.maxPercent']],
    why: 'At the limit both ways give the limit.',
  },
  {
    file: 'src/domain/rating/trend-factor.ts',
    line: 'return amounts.reduce((a, b) => a + b, 0n);',
    changes: [['a + b', 'a - b']],
    why: 'Only whether a sum is 0 and the quotient of two is asked.',
  },
  {
    file: 'src/domain/rating/trust-factor.ts',
    line: 'weights[level]! += bucket.levels[level].weight + TRUST.activityWeight * activity[level];',
    changes: [
      [
        'weights[level]! += bucket.levels[level].weight + TRUST.activityWeight * activity[level]',
        'weights[level]! -= bucket.levels[level].weight + TRUST.activityWeight * activity[level]',
      ],
    ],
    why: 'A mean does not know the sign of all its weights.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'if (bytes.length < MIN_ANSWER_BYTES || bytes.length > MAX_ANSWER_BYTES) return undefined;',
    changes: [
      ['bytes.length < MIN_ANSWER_BYTES || bytes.length > MAX_ANSWER_BYTES', 'false'],
      [
        'bytes.length < MIN_ANSWER_BYTES || bytes.length > MAX_ANSWER_BYTES',
        'bytes.length < MIN_ANSWER_BYTES && bytes.length > MAX_ANSWER_BYTES',
      ],
      ['bytes.length < MIN_ANSWER_BYTES', 'false'],
      ['bytes.length > MAX_ANSWER_BYTES', 'false'],
    ],
    why: 'Two numbers below the order have no fewer and no more bytes.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'if (tag !== DER_INTEGER || length === 0 || length > SCALAR_BYTES + 1 || content.length < length) return undefined;',
    changes: [['length > SCALAR_BYTES + 1', 'false']],
    why: 'A longer number is not below the order.',
  },
  {
    file: 'src/domain/evidence/chip-signature.ts',
    line: 'const isPadded = length > 1 && first === 0 && second < 0x80;',
    changes: [
      ['length > 1', 'true'],
      ['length > 1', 'length >= 1'],
    ],
    why: 'Of one octet only 0 is concerned, which is below 1.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const BASE64URL = /^[A-Za-z0-9_-]*$/;',
    changes: [
      ['/^[A-Za-z0-9_-]*$/', '/[A-Za-z0-9_-]*$/'],
      ['/^[A-Za-z0-9_-]*$/', '/^[A-Za-z0-9_-]*/'],
    ],
    why: 'A text with other letters does not write itself back.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const chainId: TextForm = (text) => text.length <= 78 && decimal(text) && BigInt(text) <= MAX_UINT256;',
    changes: [['text.length <= 78', 'true']],
    why: 'A longer number is larger; the length only spares reading it.',
  },
  {
    file: 'src/domain/evidence/evidence-document.ts',
    line: 'const document = value === undefined ? undefined : readClosedShape(value, DOCUMENT);',
    changes: [['value === undefined', 'false']],
    why: 'What is not there has no shape.',
  },
  {
    file: 'src/domain/evidence/exact-object.ts',
    line: 'const read = member === undefined ? undefined : readMember(member, form);',
    changes: [['member === undefined', 'false']],
    why: 'What is not there is no text and has no shape.',
  },
  {
    file: 'src/domain/evidence/evidence-building.ts',
    line: "const isObject = typeof value === 'object' && value !== null && Object.keys(value).length === members.length;",
    changes: [["typeof value === 'object'", 'true']],
    why: 'Anything else has no member of these names.',
  },
  {
    file: 'src/domain/evidence/p256.ts',
    line: 'return x < PRIME && y < PRIME && (y * y - (x * x * x + A * x + B)) % PRIME === 0n;',
    changes: [['y < PRIME', 'y <= PRIME']],
    why: 'No point of the curve has y = 0.',
  },
  {
    file: 'src/domain/machine/availability.ts',
    line: "return available.state === 'present' && available.value;",
    changes: [["available.state === 'present'", 'true']],
    why: 'What is not present has no value.',
  },
  {
    file: 'src/domain/machine/active-machine.ts',
    line: 'if (machine.lastEventAt > (newest.get(machine.id)?.lastEventAt ?? -1)) newest.set(machine.id, machine);',
    changes: [
      [
        'machine.lastEventAt > (newest.get(machine.id)?.lastEventAt ?? -1)',
        'machine.lastEventAt >= (newest.get(machine.id)?.lastEventAt ?? -1)',
      ],
    ],
    why: 'Of two that are equal either is the same.',
  },
  {
    file: 'src/domain/machine/active-machine.ts',
    line: 'return b.lastEventAt - a.lastEventAt || (a.id < b.id ? -1 : 1);',
    changes: [['a.id < b.id', 'a.id <= b.id']],
    why: 'No id is there twice.',
  },
  {
    file: 'src/domain/alt-chain/alt-machine-home.ts',
    line: "return reading.state === 'present' ? reading.value : undefined;",
    changes: [["reading.state === 'present'", 'true']],
    why: 'What is not present has no value.',
  },
  {
    file: 'src/domain/machine/machine-home.ts',
    line: "return reading.state === 'present' ? reading.value : undefined;",
    changes: [["reading.state === 'present'", 'true']],
    why: 'What is not present has no value.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'const digits = toHex(toNumber(text.slice(zeros)));',
    changes: [['text.slice(zeros)', 'text']],
    why: 'Leading zeros add nothing to a number.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'for (let at = 0; at < digits.length; at += DIGITS_AT_ONCE) {',
    changes: [['at < digits.length', 'at <= digits.length']],
    why: 'After the end there are no digits, which multiply by 1 and add 0.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'number = number * (part.length === DIGITS_AT_ONCE ? BASE_AT_ONCE : 58n ** BigInt(part.length)) + BigInt(value);',
    changes: [['part.length === DIGITS_AT_ONCE', 'false']],
    why: 'The constant is that power.',
  },
  {
    file: 'src/domain/identifiers/base58.ts',
    line: 'const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);',
    changes: [['Math.log(256) / Math.log(58)', 'Math.log(256) * Math.log(58)']],
    why: 'A text that is too long is refused by its bytes then; the bound only spares reading it.',
  },
  {
    file: 'src/domain/metrics/latency-histogram.ts',
    line: 'while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;',
    changes: [
      ['bucket < BOUNDS.length', 'true'],
      ['bucket < BOUNDS.length', 'bucket <= BOUNDS.length'],
    ],
    why: 'Nothing exceeds a bound that is not there.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: "const id = parseMachineId(item instanceof JsonNumber ? item.text : typeof item === 'string' ? item : '');",
    changes: [
      ["typeof item === 'string'", 'true'],
      ["''", '"Stryker was here!"'],
    ],
    why: 'Nothing else is spelled like an id.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: 'return [...ids].sort((a, b) => (a < b ? -1 : 1));',
    changes: [['a < b', 'a <= b']],
    why: 'No id is there twice.',
  },
  {
    file: 'src/domain/machine/legacy-machine.ts',
    line: "return operator.state === 'present' && operator.value === claimant ? 'held' : 'foreign';",
    changes: [["operator.state === 'present'", 'true']],
    why: 'What is not present has no value.',
  },
  {
    file: 'src/domain/json/untrusted-json.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/index-rules/index-freshness.ts',
    line: 'return ageSeconds !== undefined && ageSeconds <= MAX_UNSEEN_INTERVALS * pollIntervalSeconds;',
    changes: [['ageSeconds !== undefined', 'true']],
    why: 'No age is not below a limit.',
  },
  {
    file: 'src/domain/evidence/verify-status.ts',
    line: "if (record.expiresAt !== undefined && record.expiresAt <= nowSeconds) return 'expired';",
    changes: [['record.expiresAt !== undefined', 'true']],
    why: 'No end is not before now.',
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: 'if (!(error instanceof Stop)) throw error;',
    changes: [['!(error instanceof Stop)', 'false']],
    why: 'The scanner throws nothing else.',
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/json/strict-json.ts',
    line: "if (this.#text[this.#at] === '\"') {",
    changes: [
      ["this.#text[this.#at] === '\"'", 'false'],
      ["'\"'", '""'],
      [
        '{\n      this.#at++;\n      return value; // without an escape there is no lone surrogate: UTF-8 has none\n    }',
        '{}',
      ],
    ],
    why: 'A shortcut: a text without an escape is read alike by what follows.',
  },
  {
    file: 'src/domain/signatures/native-curves.ts',
    line: '} catch {',
    changes: [['{\n      return undefined;\n    }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/signatures/portable-curves.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/evidence/stored-evidence.ts',
    line: "const matching = steps.requireMatch(steps.requireChallenge(timed, { state: 'kept', challenge }), rules);",
    changes: [["'kept'", '""']],
    why: 'Only whether it is gone is asked.',
  },
  {
    file: 'src/domain/metrics/call-counter.ts',
    line: "const [method = '', outcome = ''] = key.split(' ');",
    changes: [["''", '"Stryker was here!"']],
    why: 'Every key has both words.',
  },
  {
    file: 'src/domain/rating/utc-day.ts',
    line: 'if (!/^\\d{4}-\\d{2}-\\d{2}$/.test(text)) return undefined;',
    changes: [
      ['!/^\\d{4}-\\d{2}-\\d{2}$/.test(text)', 'false'],
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/\\d{4}-\\d{2}-\\d{2}$/'],
      ['/^\\d{4}-\\d{2}-\\d{2}$/', '/^\\d{4}-\\d{2}-\\d{2}/'],
    ],
    why: 'Text that is no such day does not write itself back.',
  },
  {
    file: 'src/domain/rating/rating-state-days.ts',
    line: 'const changedBefore = newest?.day === day && days.length === 0 ? newest.changed : [];',
    changes: [
      ['days.length === 0', 'true'],
      ['[]', '["Stryker was here"]'],
    ],
    why: 'Only the first day can be the newest of before, and a text is no bucket of a day.',
  },
  {
    file: 'src/domain/signatures/account-keys.ts',
    line: 'return secret.length === SECRET_BYTES && secp256k1.utils.isValidSecretKey(secret);',
    changes: [['secret.length === SECRET_BYTES', 'true']],
    why: 'The library asks for the length too.',
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: "if (file?.['version'] !== 3 || crypto === undefined || ciphertext === undefined || mac?.length !== DERIVED_BYTES) {",
    changes: [['crypto === undefined', 'false']],
    why: 'Without it there is no ciphertext either.',
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: '} catch {',
    changes: [['{\n    return undefined;\n  }', '{}']],
    why: NOTHING_RETURNED,
  },
  {
    file: 'src/domain/signatures/keystore.ts',
    line: "return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;",
    changes: [["typeof value === 'object' && value !== null && !Array.isArray(value)", 'true']],
    why: 'Nothing else has members of these names.',
  },
];
