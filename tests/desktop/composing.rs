//! An input method writes into the composer: its Enter is not the person's.

use gatehouse_provider::scripted::Scripted;
use gatehouse_tests::Result;
use serde_json::json;

use crate::app::Setup;
use crate::page::ENTER;

/// What an input method does in the order of one engine; WebKit ends the composition before the Enter that ended it.
const COMPOSE: &str = "const field = document.querySelector('[data-testid=composer]');
    const word = '\\u65e5\\u672c';
    const tell = (Kind, type, more) => field.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, ...more }));
    const enter = (isComposing) => {
        const event = new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, isComposing });
        Object.defineProperty(event, 'keyCode', { get: () => 229 });
        field.dispatchEvent(event);
    };
    field.focus();
    tell(CompositionEvent, 'compositionstart', { data: '' });
    field.setRangeText(word, field.selectionStart, field.selectionEnd, 'end');
    tell(CompositionEvent, 'compositionupdate', { data: word });
    tell(InputEvent, 'input', { inputType: 'insertCompositionText', data: word, isComposing: true });
    if (arguments[0] === 'webkit') { tell(CompositionEvent, 'compositionend', { data: word }); enter(false); }
    else { enter(true); tell(CompositionEvent, 'compositionend', { data: word }); }
    tell(KeyboardEvent, 'keyup', { key: 'Enter', code: 'Enter' });
    return field.value";

#[tokio::test]
async fn the_enter_of_an_input_method_sends_nothing() -> Result {
    let lab = Scripted::start([]).await?;
    let app = Setup::with("composing", &lab)?.open().await?;
    app.new_session().await?;
    let composer = app.seen("[data-testid=composer]").await?;
    for (n, order) in ["chromium", "webkit"].into_iter().enumerate() {
        composer.click().await?;
        assert_eq!(app.run(COMPOSE, &[json!(order)]).await?, "\u{65e5}\u{672c}", "{order}");
        app.picture(order).await?;
        composer.send_keys(ENTER).await?;
        assert_eq!(app.answer(n + 1).await?, "ok");
        // Whatever the input method's Enter had sent would stand before the person's own.
        let sent = ["human message", "model message"].repeat(n + 1);
        assert_eq!(app.shape().await?, sent, "{order}");
        assert_eq!(lab.requests().len(), n + 1, "{order}");
        assert_eq!(composer.prop("value").await?.as_deref(), Some(""));
    }
    app.close().await
}
