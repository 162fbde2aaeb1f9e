// Puts a marker before each statement and a catch around each function, all on the lines where they
// stand, so that an error carries the line of the statement that threw it. Runs in the child's own
// realm, on the text of the body only.
(function markers(acorn) {
  'use strict';
  const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

  // The body as acorn sees it: its program and whether that is the one function, or the line where
  // acorn cannot go on.
  function parse(text) {
    let program;
    try {
      program = acorn.parse(text, {
        ecmaVersion: 'latest', sourceType: 'script', locations: true, preserveParens: true,
      });
    } catch (error) {
      return { whole: false, line: error.loc === undefined ? 0 : error.loc.line };
    }
    const only = program.body.length === 1 ? program.body[0] : null;
    const inner = only !== null && only.type === 'ExpressionStatement'
      && only.expression.type === 'ParenthesizedExpression' ? only.expression.expression : null;
    const whole = inner !== null && inner.type === 'FunctionExpression'
      && only.expression.end === text.length;
    return { program, whole, line: 0 };
  }

  function importLine(node) {
    if (node.type === 'ImportExpression') return node.loc.start.line;
    for (const child of children(node)) {
      const line = importLine(child);
      if (line !== 0) return line;
    }
    return 0;
  }

  function* children(node) {
    for (const key in node) {
      const value = node[key];
      if (Array.isArray(value)) {
        for (const item of value) if (item !== null && typeof item.type === 'string') yield item;
      } else if (value !== null && typeof value === 'object' && typeof value.type === 'string') {
        yield value;
      }
    }
  }

  function instrument(text, program, marker, line) {
    const edits = [];
    const put = (at, what) => edits.push({ at, what, order: edits.length });
    const statements = (list) => {
      for (const node of list) {
        if (node.directive === undefined && node.type !== 'FunctionDeclaration'
          && node.type !== 'EmptyStatement') put(node.start, `${line}=${node.loc.start.line};`);
      }
    };
    const enclose = (node) => {
      const { body } = node;
      const caught = `}catch(${marker}_){throw ${marker}(${marker}_,`;
      if (body.type !== 'BlockStatement') {
        put(body.start, '{try{return ');
        visit(body);
        put(body.end, `${caught}${body.loc.start.line})}}`);
        return;
      }
      const first = body.body.find((item) => item.directive === undefined);
      if (first === undefined) return;
      put(first.start, `let ${line}=${first.loc.start.line};try{`);
      statements(body.body);
      for (const child of body.body) visit(child);
      put(body.end - 1, `${caught}${line})}`);
    };
    const visit = (node) => {
      if (FUNCTIONS.has(node.type)) {
        for (const parameter of node.params) visit(parameter);
        enclose(node);
        return;
      }
      if (node.type === 'BlockStatement' || node.type === 'StaticBlock') statements(node.body);
      if (node.type === 'SwitchCase') statements(node.consequent);
      for (const child of children(node)) visit(child);
    };
    for (const node of program.body) visit(node);
    edits.sort((one, other) => one.at - other.at || one.order - other.order);
    let result = '';
    let from = 0;
    for (const { at, what } of edits) {
      result += text.slice(from, at) + what;
      from = at;
    }
    return result + text.slice(from);
  }

  return { parse, importLine, instrument };
})
