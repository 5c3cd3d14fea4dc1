//! `engine session request-template`, and what `activate` tells of open requests.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::delegate::{Requests, request_template};
use engine_core::work::Run;
use engine_core::work::request::Request;
use engine_text::line::one_line;
use serde_json::{Value, json};

use crate::ui::Ui;

/// Print the template of a request for work: that of the skill which answers a tag
///
/// A skill can be asked if it has both templates, of request and response; the Tags line of the first tells its tags. The request
/// is written as `SKILL_REQUEST_TOPIC.md` into the session that asks; `session activate` of that skill lists those that are open.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session request-template '#needs-fix'\n  engine session request-template needs-research --json"
)]
pub(crate) struct RequestTemplateArgs {
    /// The tag that the request has
    #[arg(value_parser = crate::commands::tag::tag)]
    pub(crate) tag: String,
    /// Which skill, where several answer the tag
    #[arg(long)]
    pub(crate) skill: Option<String>,
}

pub(super) fn run(args: &RequestTemplateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let RequestTemplateArgs { tag, skill } = args;
    let one = request_template(context, tag, skill.as_deref())?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "tag": tag, "skill": one.skill, "file": one.file, "text": one.text}));
    } else {
        ui.text(&one.text);
    }
    Ok(())
}

pub(super) fn rows(requests: &Requests) -> Vec<Value> {
    let row = |(file, request): &(String, Request)| json!({"file": file, "tag": request.tag, "priority": format!("P{}", request.priority), "topic": request.topic});
    requests.shown.iter().map(row).collect()
}

pub(super) fn tell(requests: &Requests, run: &Run, ui: &Ui) {
    let Some(response) = requests.response.as_ref().filter(|_| !requests.shown.is_empty()) else { return };
    ui.line("open requests; the user decides which are taken up:");
    for (file, request) in &requests.shown {
        ui.line(format!("  P{} {file}: {}", request.priority, one_line(&request.topic, 80)));
    }
    if requests.more > 0 {
        let tags: Vec<String> = requests.tags.iter().map(|tag| format!("engine tag find '{tag}'")).collect();
        ui.line(format!("  and {} more: {}", requests.more, tags.join(", ")));
    }
    ui.line(format!(
        "  an answer is a section ## Response in it, and {} (as {})",
        run.file("RESPONSE_TOPIC"),
        response.display()
    ));
}
