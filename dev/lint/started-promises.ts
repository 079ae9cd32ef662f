/**
 * Lint rule: no call in `Promise.all([...])` after the first returns `MaybePromise`. Such a function may throw synchronously, and nothing
 * then handles the rejections of the calls before it.
 */
import type { Rule } from 'eslint';
import type { ArrayExpression, Node } from 'estree';
import type { Type } from 'typescript';

/** What the TypeScript parser gives to a rule. */
interface TypeServices {
  getTypeAtLocation(node: Node): Type;
}

export const startedPromises: Rule.RuleModule = {
  meta: {
    type: 'problem',
    messages: { late: 'May throw synchronously while earlier calls run: await it before, or list it first.' },
  },
  create(context) {
    const services = context.sourceCode.parserServices as TypeServices;

    function isMaybePromise(call: Node): boolean {
      const type = services.getTypeAtLocation(call);
      return type.isUnion() && type.types.some(isPromise) && !type.types.every(isPromise);
    }

    return {
      'CallExpression[callee.object.name="Promise"][callee.property.name="all"] > ArrayExpression'(
        list: ArrayExpression,
      ) {
        for (const node of list.elements.slice(1)) {
          if (node?.type === 'CallExpression' && isMaybePromise(node)) context.report({ node, messageId: 'late' });
        }
      },
    };
  },
};

function isPromise(type: Type): boolean {
  return type.getSymbol()?.name === 'Promise';
}
