"""The built-in groups: names that agents and well-known servers give to tools of one kind.

A tool also belongs to the groups that its source says, and a deployment adds its own under
`tools.groups`.
"""

from __future__ import annotations

from collections.abc import Mapping

BUILT_IN: Mapping[str, str] = {
    "fs": """
        apply_patch copy_file create_directory create_file delete_file directory_tree edit
        edit_block edit_file get_file_info glob grep list_allowed_directories list_directory
        list_directory_with_sizes ls move_file multi_edit read read_file read_media_file
        read_multiple_files read_text_file search_files str_replace write write_file write_pdf
    """,
    "web": """
        brave_web_search fetch fetch_url http_request open_url read_url search_web web_fetch
        web_search x_search
    """,
    "runtime": """
        bash code_execution exec execute_code execute_command force_terminate
        interact_with_process kill_process list_processes process python run_code run_command
        shell start_process terminal
    """,
    "messaging": """
        message reply send_email send_message send_sms slack_add_reaction slack_post_message
        slack_reply_to_thread
    """,
    "memory": """
        add_observations create_entities create_relations delete_entities delete_observations
        delete_relations memory_get memory_search memory_store open_nodes read_graph search_nodes
    """,
    "automation": "create_task cron gateway schedule schedule_task",
    "sessions": """
        session_status sessions_history sessions_list sessions_send sessions_spawn sessions_yield
    """,
    "agents": "agent_send agents_list sessions_spawn spawn_agent subagents task",
    "ui": "browser canvas computer screenshot",
    "media": "image image_generate music_generate pdf tts video_generate",
    "nodes": "nodes",
}

NAMES: Mapping[str, tuple[str, ...]] = {
    name: tuple(group for group, names in BUILT_IN.items() if name in names.split())
    for names in BUILT_IN.values()
    for name in names.split()
}
"""Of each built-in name, its groups."""
